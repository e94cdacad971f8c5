// Native work without Python's lock that shows how far it has come and can be interrupted from Python.
#pragma once

#include "arrays.hpp"
#include "bough/machine/watch.hpp"

namespace bough_python {

// A function of the share of the work done, or None.
using Progress = std::optional<nb::typed<nb::callable, void(double)>>;

// Runs work(monitor) without Python's lock. The monitor lets Python handle signals and calls `progress`; what
// either raises is raised again when the work has stopped.
template <class Work>
auto watched(const Progress& progress, const Work& work) {
  const bough::Monitor monitor = [&progress](double share) {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) return false;
    if (progress) (*progress)(share);
    return true;
  };
  try {
    nb::gil_scoped_release unlocked;
    return work(monitor);
  } catch (const bough::Interrupted&) {
    if (PyErr_Occurred()) throw nb::python_error();
    throw;
  }
}

}  // namespace bough_python
