#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// What flattening a program remembers from statement to statement, and how it adds to the form.
struct Flattening {
  // What a name of the program stands for.
  struct Name {
    int tile = -1;  // of a tile or mask
    bool changes = false;
    bool dynamic = false;      // a tile range whose last piece is shorter
    int scaled = -1;           // of indices that gather takes: the same in bytes
    std::int64_t longest = 0;  // of a tile range
    std::int64_t total = 0;
  };

  explicit Flattening(Form& form) : form(form), steps(&form.steps), cores(form.checked.cores) {}

  // What the visible name stands for.
  const Name& name(const std::string& name) const;
  // A name for the Ascend C that nothing else has: `stem`, stem2, stem3, ...
  std::string fresh(const std::string& stem);
  // Appends a step.
  Step& step(Step::Kind kind, int line);
  // Appends the definition of a C++ variable; an empty type sets one that is there. `tiles` are read for its value.
  void define(int line, const std::string& name, const std::string& type, const std::string& value,
              std::vector<int> tiles = {});
  // Ends the innermost loop or condition.
  void close(int line);
  // The index of a new tile; an empty name is left to later passes.
  int new_tile(const std::string& name, proto::DType dtype, const Length& length, Tile::Home home);

  Form& form;
  std::vector<Step>* steps;  // of the cores whose work is flattened: form.steps or form.cube
  int cores;                 // that share this work
  std::vector<std::map<std::string, Name>> scopes{1};
  std::map<std::string, int> changes;       // how often the program sets each variable; a buffer counts twice
  std::map<std::string, int> used_names;    // of the Ascend C, with the last number behind them
  std::set<std::string> gathered_by;        // names of indices
  std::map<std::string, int> offset_tiles;  // byte offsets of a step, by their text
  std::size_t hoisted = 0;                  // steps at the front that every other step may rely on
};

// How long a tile is: as C++ text, its most elements, and a number that always divides its elements.
std::string length_text(const Flattening& flat, const Length& length);
std::int64_t longest(const Flattening& flat, const Length& length);
std::int64_t unit_of(const Flattening& flat, const Length& length);
// A number that always divides the offset.
std::int64_t unit_of(const Flattening& flat, const Linear& offset);

}  // namespace kg::dsl
