// SPDX-License-Identifier: Apache-2.0
// Reader of .poly files, the surfaces that TetGen takes: a list of points, then one of facets, each a polygon. The
// facets of such files are not oriented; here all are turned so that they are counter-clockwise seen from outside.
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "src/formats/mesh_text.hpp"
#include "src/formats/mesh_words.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

using mesh_words::most_faces;
using mesh_words::Words;

// The text with blanks in place of comments.
std::string without_comments(std::string lines) {
  bool comment = false;
  for (char& c : lines) {
    comment = c != '\n' && (comment || c == '#');
    if (comment) c = ' ';
  }
  return lines;
}

class PolyReader {
 public:
  PolyReader(std::string_view lines, const std::string& place) : words_(lines, place) {}

  MeshText read() {
    mesh_.objects.emplace_back();
    points();
    facets();
    const std::string_view holes = words_.next_anywhere();
    if (!holes.empty() && whole(holes) > 0)
      words_.fail("the solid has holes: give the surface of a solid without, part by part");
    return std::move(mesh_);
  }

 private:
  long long whole(std::string_view word) const {
    long long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      words_.fail("\"" + Words::shown(word) + "\" is not a whole number: write one such as 7");
    return value;
  }
  // The first word of the next line that is not empty; what is missing at the end of the file.
  std::string_view begin(const char* what) {
    const std::string_view word = words_.next_anywhere();
    if (word.empty()) words_.fail(std::string("the file ends before ") + what + ": export it again");
    return word;
  }
  void skip_line() {
    while (!words_.next().empty()) continue;
  }

  void points() {
    const long long count = whole(begin("its number of points"));
    const std::string_view dimension = words_.next();
    if (!dimension.empty() && whole(dimension) != 3)
      words_.fail("the points have " + Words::shown(dimension) + " coordinates: give three, x, y and z");
    if (count == 0) words_.fail("the points are in another file: write them into this one");
    if (count < 4) words_.fail("there are fewer than four points: give the corners of a solid");
    if (count > static_cast<long long>(3 * most_faces))
      words_.fail("there are more than three million points: thin it out");
    skip_line();
    for (long long k = 0; k < count; ++k) {
      const long long index = whole(begin("the last of its points"));
      if (k == 0) first_ = index;
      if (first_ != 0 && first_ != 1)
        words_.fail("the first point has the number " + number(index) + ": begin with 0 or 1");
      if (index != first_ + k)
        words_.fail("point " + number(index) + " stands where point " + number(first_ + k) +
                    " is due: number them in order");
      mesh_.vertices.push_back(read_vertex(words_));
      skip_line();
    }
  }

  void facets() {
    const long long count = whole(begin("its number of facets"));
    if (count < 4) words_.fail("there are fewer than four facets: give the faces of a solid");
    if (count > static_cast<long long>(most_faces))
      words_.fail("there are more than a million facets: thin the mesh out");
    skip_line();
    for (long long k = 0; k < count; ++k) facet(k + 1);
  }

  void facet(long long which) {
    const auto fail = [&](const std::string& what) { words_.fail("facet " + number(which) + " " + what); };
    const long long polygons = whole(begin("the last of its facets"));
    if (polygons != 1) fail("has " + number(polygons) + " polygons: make a facet of each");
    const std::string_view holes = words_.next();
    if (!holes.empty() && whole(holes) != 0) fail("has a hole: divide it into facets without");
    skip_line();
    const long long corners = whole(begin("the last of its facets"));
    if (corners < 3) fail("has fewer than three corners: drop it, or give them");
    MeshFace face;
    for (long long k = 0; k < corners; ++k) {
      const long long corner = whole(begin("the last corner of a facet")) - first_;
      if (corner < 0 || corner >= static_cast<long long>(mesh_.vertices.size()))
        fail("names point " + number(corner + first_) + ", and they are numbered from " + number(first_) + " to " +
             number(first_ + static_cast<long long>(mesh_.vertices.size()) - 1) + ": name one of these");
      face.corners.push_back(static_cast<int>(corner));
    }
    mesh_.faces.push_back(std::move(face));
  }

  static std::string number(long long value) { return std::to_string(value); }

  Words words_;
  MeshText mesh_;
  long long first_ = 0;  // number of the first point
};

// Turns faces so that each edge between two of them is run through both ways, and every connected surface encloses a
// volume that is not negative.
class Orientation {
 public:
  explicit Orientation(MeshText& mesh) : mesh_(mesh), seen_(mesh.faces.size(), false) {
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      for_each_edge(f, [&](int from, int to) { sides_[std::minmax(from, to)].push_back({f, from < to}); });
    }
  }

  void turn_out() {
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      if (seen_[f]) continue;
      const std::vector<std::size_t> surface = connected(f);
      double volume = 0.0;
      for (const std::size_t k : surface) volume += below(k, mesh_.faces[f].corners[0]);
      if (!(volume < 0.0)) continue;
      for (const std::size_t k : surface) turn(k);
    }
  }

 private:
  struct Side {
    std::size_t face;
    bool upwards;  // from the smaller to the larger vertex, as the file has it
  };

  template <class F>
  void for_each_edge(std::size_t f, const F& visit) const {
    const std::vector<int>& loop = mesh_.faces[f].corners;
    for (std::size_t k = 0; k < loop.size(); ++k) visit(loop[k], loop[(k + 1) % loop.size()]);
  }
  void turn(std::size_t f) { std::reverse(mesh_.faces[f].corners.begin(), mesh_.faces[f].corners.end()); }

  // The faces that hang together with f, turned like f.
  std::vector<std::size_t> connected(std::size_t f) {
    std::vector<std::size_t> surface{f};
    std::vector<bool> turned{false};
    seen_[f] = true;
    for (std::size_t k = 0; k < surface.size(); ++k) {
      const std::size_t here = surface[k];
      const bool here_turned = turned[k];
      for_each_edge(here, [&](int from, int to) {
        const std::vector<Side>& sides = sides_.at(std::minmax(from, to));
        if (sides.size() != 2) return;
        const Side& mine = sides[sides[0].face == here ? 0 : 1];
        const Side& other = sides[sides[0].face == here ? 1 : 0];
        if (seen_[other.face]) return;
        seen_[other.face] = true;
        surface.push_back(other.face);
        turned.push_back((mine.upwards == other.upwards) != here_turned);
      });
    }
    for (std::size_t k = 0; k < surface.size(); ++k) {
      if (turned[k]) turn(surface[k]);
    }
    return surface;
  }

  // Six times the volume between a face and a vertex.
  double below(std::size_t f, int apex) const {
    const std::vector<int>& loop = mesh_.faces[f].corners;
    const auto from_apex = [&](int v) {
      return mesh_.vertices[static_cast<std::size_t>(v)] - mesh_.vertices[static_cast<std::size_t>(apex)];
    };
    double sum = 0.0;
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
      sum += dot(from_apex(loop[0]), cross(from_apex(loop[k]), from_apex(loop[k + 1])));
    }
    return sum;
  }

  MeshText& mesh_;
  std::vector<bool> seen_;
  std::map<std::pair<int, int>, std::vector<Side>> sides_;
};

}  // namespace

MeshText read_poly(std::string_view text, const std::string& place) {
  const std::string lines = without_comments(mesh_words::lines_of(text));
  MeshText mesh = PolyReader(lines, place).read();
  Orientation(mesh).turn_out();
  return mesh;
}

}  // namespace pegrasp
