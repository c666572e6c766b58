// SPDX-License-Identifier: Apache-2.0
#include "src/cli/console.hpp"

#include <cstdarg>
#include <cstdio>
#include <iostream>
#include <vector>

namespace pegrasp::cli {
namespace {

thread_local Console* console_of_thread = nullptr;

Console& console_of_process() {
  static std::atomic<bool> stop{false};
  static Console console{std::cout, std::cerr, stop, true};
  return console;
}

}  // namespace

void Console::print(const char* format, ...) const {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::vector<char> text(length < 0 ? 1 : static_cast<std::size_t>(length) + 1);
  std::vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  out << text.data();
}

Console& console() { return console_of_thread != nullptr ? *console_of_thread : console_of_process(); }

ConsoleScope::ConsoleScope(Console& used) : before_(console_of_thread) { console_of_thread = &used; }
ConsoleScope::~ConsoleScope() { console_of_thread = before_; }

}  // namespace pegrasp::cli
