// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target for the readers of text and meshes (scripts/fuzz.sh): each input is read, or refused by the
// reader's own error in one line; all else ends the program, and libFuzzer keeps the input.
// PEGRASP_FUZZ_READER names the reader, PEGRASP_FUZZ_FOLDER a folder for its files, with box.obj.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernels/launch/scene_worker.hpp"
#include "tests/fuzz/text_readers.hpp"

// The target is built without kernels. How much memory a scene would take to simulate, no reader asks.
std::size_t pegrasp::strict_scene_bytes(const ModelView&, Capacity) { std::abort(); }
std::size_t pegrasp::spatial_scene_bytes(const ModelView&, Capacity) { std::abort(); }

namespace {

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "fuzz_readers: %s\n", what.c_str());
  std::abort();
}

const pegrasp::fuzz::TextReader& chosen_reader() {
  const char* const name = std::getenv("PEGRASP_FUZZ_READER");
  for (const pegrasp::fuzz::TextReader& reader : pegrasp::fuzz::text_readers()) {
    if (name != nullptr && std::string(reader.name) == name) return reader;
  }
  std::string names;
  for (const pegrasp::fuzz::TextReader& reader : pegrasp::fuzz::text_readers()) names += " " + std::string(reader.name);
  std::fprintf(stderr, "set PEGRASP_FUZZ_READER to one of%s\n", names.c_str());
  std::exit(2);
}

void expect_one_line(const std::string& said) {
  if (said.find('\n') != std::string::npos || said.find('\x1b') != std::string::npos) give_up("says: " + said);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pegrasp::fuzz::TextReader& reader = chosen_reader();
  static const char* const folder = std::getenv("PEGRASP_FUZZ_FOLDER");
  try {
    reader.read(std::string(reinterpret_cast<const char*>(data), size), folder == nullptr ? "." : folder);
  } catch (const pegrasp::InputError& error) {
    expect_one_line(error.what());
  } catch (const pegrasp::ShapeError& error) {
    expect_one_line(error.what());
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  return 0;
}
