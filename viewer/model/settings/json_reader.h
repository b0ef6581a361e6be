#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// Reads members of a JSON object into values that hold their defaults. A missing member changes nothing. A member
/// of another type or out of range changes nothing, and adds a line to the complaints.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& object, std::string path, std::vector<std::string>& complaints)
      : object_(object), path_(std::move(path)), complaints_(complaints) {
    if (!object_.is_object()) complain("", "an object");
  }

  /// Returns the reader of a member that is an object.
  JsonReader member(const char* name) const {
    static const nlohmann::json empty = nlohmann::json::object();
    return JsonReader(has(name) ? object_[name] : empty, path_of(name), complaints_);
  }

  /// Returns the readers of an array's elements; none if it is missing.
  std::vector<JsonReader> members(const char* name) const {
    std::vector<JsonReader> all;
    if (!has(name)) return all;
    const nlohmann::json& array = object_[name];
    if (!array.is_array()) complain(name, "an array");
    for (u64 i = 0; array.is_array() && i < array.size(); ++i) {
      all.push_back(JsonReader(array[i], path_of(name) + "[" + std::to_string(i) + "]", complaints_));
    }
    return all;
  }

  void read(const char* name, bool& value) const {
    if (!has(name)) return;
    object_[name].is_boolean() ? void(value = object_[name].get<bool>()) : complain(name, "true or false");
  }

  void read(const char* name, std::string& value) const {
    if (!has(name)) return;
    object_[name].is_string() ? void(value = object_[name].get<std::string>()) : complain(name, "a text");
  }

  template <class Number>
  requires(std::is_arithmetic_v<Number>) void read(const char* name, Number& value, Number least,
                                                   Number most) const {
    if (!has(name)) return;
    const nlohmann::json& member = object_[name];
    const bool fits_type = std::is_floating_point_v<Number> ? member.is_number() : member.is_number_integer();
    const double number = fits_type ? member.get<double>() : 0;
    if (fits_type && number >= double(least) && number <= double(most)) {
      value = Number(number);
    } else {
      complain(name, std::to_string(least) + " to " + std::to_string(most));
    }
  }

  template <class Enum>
  requires(std::is_enum_v<Enum>) void read(const char* name, Enum& value) const {
    if (!has(name)) return;
    const auto read = object_[name].is_string() ? named<Enum>(object_[name].get<std::string>()) : std::nullopt;
    if (read) {
      value = *read;
      return;
    }
    std::string all;
    for (const char* one : names<Enum>()) all += (all.empty() ? "" : ", ") + std::string(one);
    complain(name, "one of " + all);
  }

  void read(const char* name, vec3& value) const {
    if (!has(name)) return;
    const nlohmann::json& member = object_[name];
    vec3 read(0);
    bool fits = member.is_array() && member.size() == 3;
    for (int i = 0; fits && i < 3; ++i) {
      fits = member[u64(i)].is_number();
      if (fits) read[i] = member[u64(i)].get<float>();
    }
    fits &= is_finite(read);
    fits ? void(value = read) : complain(name, "three numbers");
  }

  void complain(const char* name, const std::string& what) const {
    complaints_.push_back(path_of(name) + " is not " + what + "; the default is used");
  }

 private:
  bool has(const char* name) const { return object_.is_object() && object_.contains(name); }
  std::string path_of(const std::string& name) const {
    if (path_.empty()) return name;
    return name.empty() ? path_ : path_ + "." + name;
  }

  const nlohmann::json& object_;
  std::string path_;
  std::vector<std::string>& complaints_;
};

}  // namespace copse::viewer
