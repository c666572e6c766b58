// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?" for misspelt keys and names.
#pragma once

#include <string>
#include <vector>

namespace pegrasp {

// Levenshtein distance, upper and lower case taken as equal.
int edit_distance(const std::string& a, const std::string& b);

// What to take in place of a shape that many programs have and pegrasp has not; nothing for other words. By its letters
// "cone" is near "cube".
// hull: the key or the name of a hull.
std::string no_such_shape(const std::string& word, const std::string& hull);

// `; did you mean "x"?` where a candidate is near, or is the new name of `word`; else `; known here: a, b`, or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace pegrasp
