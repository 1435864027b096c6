#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// The state of flattening between statements, and functions that add to the form.
struct Flattening {
  // The meaning of a name in the program.
  struct Name {
    int tile = -1;  // a tile or mask
    bool changes = false;
    bool dynamic = false;      // a tile range whose last piece is shorter
    int scaled = -1;           // indices for gather: the same in bytes
    std::int64_t longest = 0;  // longest tile of a tile range
    std::int64_t total = 0;
  };

  explicit Flattening(Form& form) : form(form), steps(&form.steps), cores(form.checked.cores) {}

  // The meaning of the visible name.
  const Name& name(const std::string& name) const;
  // A name that is unique in the Ascend C: `stem`, stem2, stem3, ...
  std::string fresh(const std::string& stem);
  // Appends a step.
  Step& step(Step::Kind kind, int line);
  // Appends the definition of a C++ variable; an empty type sets an existing one. `tiles` are read for its value.
  void define(int line, const std::string& name, const std::string& type, const std::string& value,
              std::vector<int> tiles = {});
  // Ends the innermost loop or condition.
  void close(int line);
  // The index of a new tile; an empty name is left to later passes.
  int new_tile(const std::string& name, proto::DType dtype, const Length& length, Tile::Home home);

  Form& form;
  std::vector<Step>* steps;  // steps of the cores whose work is being flattened: form.steps or form.cube
  int cores;                 // cores that share this work
  std::vector<std::map<std::string, Name>> scopes{1};
  std::map<std::string, int> changes;       // how often the program sets each variable; a buffer counts twice
  std::map<std::string, int> used_names;    // names in the Ascend C, with the last number added to them
  std::set<std::string> gathered_by;        // names of indices used by gather
  std::map<std::string, int> offset_tiles;  // byte offsets of a step, by their text
  std::size_t hoisted = 0;                  // number of steps at the front that every other step may rely on
};

// The length of a tile: as C++ text, its maximum, and a number that always divides it.
std::string length_text(const Flattening& flat, const Length& length);
std::int64_t longest(const Flattening& flat, const Length& length);
std::int64_t unit_of(const Flattening& flat, const Length& length);
// A number that always divides the offset.
std::int64_t unit_of(const Flattening& flat, const Linear& offset);

}  // namespace kg::dsl
