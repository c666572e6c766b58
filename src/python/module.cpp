// SPDX-License-Identifier: Apache-2.0
// The compiled module pegrasp._core: the command line's commands, and simulations. The package around it is in
// src/python/pegrasp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/error.hpp"
#include "pegrasp/version.hpp"
#include "src/cli/command_line.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/python/bind.hpp"
#include "src/python/records.hpp"
#include "src/python/watched.hpp"

namespace nb = nanobind;

namespace pegrasp::python {
namespace {

nb::object text_of(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

// (exit code, its message, standard output, standard error).
nb::tuple call(const std::vector<std::string>& words, const std::map<std::string, std::string>& texts,
               const nb::object& progress) {
  Watched watched;
  std::ostringstream out, err;
  cli::Ending ending;
  const auto work = [&] {
    cli::Console console{out, err, watched.stop, false, {}, texts};
    console.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
      watched.tell(done, total, what);
    };
    const cli::ConsoleScope scope(console);
    ending = cli::run_command(words);
  };
  try {
    run_watched(watched, progress, work);
  } catch (nb::python_error& error) {
    // The command has a better line for who pressed Ctrl-C.
    if (!error.matches(PyExc_KeyboardInterrupt) || ending.exit_code != cli::exit_stopped) throw;
  }
  return nb::make_tuple(ending.exit_code, text_of(ending.message), text_of(out.str()), text_of(err.str()));
}

nb::dict commands() {
  nb::dict all;
  for (const cli::CommandInfo& command : cli::list_commands()) {
    nb::list options;
    for (const cli::CommandOption& option : command.options) {
      nb::dict one;
      one["name"] = option.name;
      one["description"] = option.description;
      one["type"] = option.type;
      one["positional"] = option.positional;
      one["flag"] = option.flag;
      one["required"] = option.required;
      one["least_values"] = option.least_values;
      one["most_values"] = option.most_values;
      options.append(one);
    }
    all[command.name.c_str()] = options;
  }
  return all;
}

// Faults of simulations and batches, as those of commands are.
void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](const char* words) {
    const nb::object type = nb::module_::import_("pegrasp.errors").attr("InputError");
    PyErr_SetString(type.ptr(), words);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise(error.what());
  } catch (const std::invalid_argument& error) {
    raise(error.what());
  }
}

}  // namespace
}  // namespace pegrasp::python

NB_MODULE(_core, module) {
  using namespace pegrasp;
  nanobind::set_leak_warnings(false);  // objects may outlive the interpreter: it ends without collecting all
  nanobind::register_exception_translator(&python::translate);
  module.def("call", &python::call, nb::arg("words"), nb::arg("texts"), nb::arg("progress").none());
  module.def("commands", &python::commands);
  module.def("record_fields", &python::record_fields);
  module.attr("version") = version::number;
  module.attr("revision") = version::git;
  python::bind_simulation(module);
}
