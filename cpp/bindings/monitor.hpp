// Lets Python handle signals during long native work and, if asked for, shows how far it has come.
#pragma once

#include <nanobind/nanobind.h>

#include "bough/grow/grow.hpp"
#include "bough/grow/problem.hpp"

namespace bough_python {

inline bough::Monitor monitor_of(const nanobind::object& progress) {
  return [&progress](double share) {
    nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (!progress.is_none()) progress(share);
    return true;
  };
}

// Runs work without Python's lock; what a signal handler raised is raised again.
template <class Work>
auto unlocked(Work work) {
  try {
    nanobind::gil_scoped_release released;
    return work();
  } catch (const bough::Interrupted&) {
    if (PyErr_Occurred()) throw nanobind::python_error();
    throw;
  }
}

}  // namespace bough_python
