#include "run/process/hello_text.h"

#include <nlohmann/json.hpp>

#include "run/call/libraries.h"
#include "run/call/python_libraries.h"
#include "run/session/jobs.h"

namespace indexfuzz {
namespace {

using nlohmann::json;

json form_json(const Plan& plan) {
  return {{"operator", plan.op->name},
          {"overload", plan.op->overloads[plan.overload].name},
          {"variant", name(plan.variant)},
          {"python", plan.python},
          {"cpp", plan.cpp}};
}

json implementation_json(const Implementation& implementation) {
  json forms = json::array();
  for (const Plan& plan : implementation.plans) forms.push_back(form_json(plan));
  return {
      {"name", implementation.name},
      {"custom", implementation.custom},
      {"comes_along", implementation.comes_along},
      {"device", implementation.on_gpu() ? "cuda:" + std::to_string(implementation.device) : "cpu"},
      {"forms", forms}};
}

}  // namespace

std::string hello_text(const ZygoteSetUp& set_up) {
  json list = json::array();
  for (const Implementation& implementation : set_up.implementations)
    list.push_back(implementation_json(implementation));
  std::string error = set_up.error;
  if (!error.empty() && error.back() != '.' && error.back() != '?') error += '.';
  const json all{{"torch", torch_version()},
                 {"libfuzzer", has_libfuzzer()},
                 {"error", error},
                 {"device_missing", set_up.device_missing},
                 {"gpus", set_up.gpus},
                 {"no_gpu", set_up.no_gpu},
                 {"python_libraries", python_libraries()},
                 {"left_out", set_up.left_out},
                 {"notes", set_up.notes},
                 {"implementations", list}};
  // A schema or a path may contain bytes that are not UTF-8.
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace indexfuzz
