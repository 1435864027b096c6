#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dsl/linear.h"
#include "proto/task.pb.h"

namespace kg::dsl {

// Elements of a tile: constant + factor x the length of the tile range `range`, which is shorter at the loop's
// end.
struct Length {
  std::int64_t constant = 0;
  std::int64_t factor = 0;
  std::string range;
  bool operator==(const Length&) const = default;
};

struct Type {
  enum class Kind {
    kNone,
    kInt,    // a scalar, also an index
    kFloat,  // a scalar
    kBool,   // a scalar condition
    kRange,  // a piece of a dimension, from tiles()
    kTile,   // a vector in UB
    kMask,   // a comparison of tiles, one bit an element
    kMatrix  // rows and columns in L1, or a product in L0C
  };
  Kind kind = Kind::kNone;
  proto::DType dtype = proto::FLOAT32;  // element type of a tile
  Length length;                        // length of a tile or mask; columns of a matrix
  Length rows;                          // rows of a matrix
  bool product = false;                 // a matrix in L0C
  bool is_scalar() const { return kind == Kind::kInt || kind == Kind::kFloat; }
  bool is_tile() const { return kind == Kind::kTile; }
};

// The elements of a tensor that a load or store selects, contiguous in GM. Set by check().
struct Region {
  int tensor = -1;       // index of the parameter
  bool element = false;  // indices only: a single element
  Length length;
  Linear offset;           // position of the first element, in elements
  std::size_t vector = 0;  // position of the index that is not a scalar
  bool padded = false;     // may reach outside the dimension; then:
  Linear start;            // position of the first element within the dimension
  std::int64_t extent = 0;
  // A matrix, for l1 and for stores of products: `length` columns of `rows` rows that begin `pitch` elements apart.
  Length rows;
  std::int64_t pitch = 0;
};

struct Expr;
using ExprPtr = std::shared_ptr<Expr>;

// One index: a scalar or a tile range (`at`), a slice at:to:step, or the whole dimension.
struct Index {
  ExprPtr at, to, step;
  bool slice = false;  // has a colon; both ends absent: all
};

struct Expr {
  enum class Kind { kNumber, kName, kUnary, kBinary, kCall, kLoad, kElement };
  Kind kind = Kind::kNumber;
  int line = 0;
  std::string text;  // name, operator, called function, loaded tensor
  double number = 0;
  bool integer = false;        // a number written without point and exponent
  std::vector<ExprPtr> args;   // operands; kElement: the tile
  std::vector<Index> indices;  // kLoad, kElement
  ExprPtr pad;                 // kLoad: the value outside the tensor
  bool native = false;         // kLoad: `as half`, stays in half
  Region region;               // kLoad; kElement: length and offset within the tile
  Type type;                   // set by check()
};

// What a for loop runs over: indices lo..hi, or pieces of `tile` elements of 0..hi.
struct LoopItem {
  std::string name;
  ExprPtr lo, hi, tile;
  bool tiles = false;
  std::string list;        // tensors(LIST): its positions; resolved() unrolls such a loop
  std::int64_t total = 0;  // value of hi, if it must be constant; set by check()
  bool open = false;       // check() chose `tile`
};

struct Statement {
  enum class Kind {
    kAssign,
    kStore,
    kFor,
    kIf,
    kBuffer,
    kTileSize,
    kLaunch,
    kBarrier,
    kScratch,  // a tensor in GM that lives as long as the kernel
    kMatrix,   // l1: a matrix loaded to L1
    kProduct,  // l0c: a matrix of sums
    kGemm      // adds a product of matrices to it
  };
  Kind kind = Kind::kAssign;
  int line = 0;
  std::string name;            // assigned, stored to, declared
  std::string op;              // "", or the operator of +=
  std::vector<Index> indices;  // kStore
  Region region;               // kStore
  ExprPtr value;               // also the condition, the number of cores, the tile size
  std::vector<LoopItem> items;
  bool parallel = false;  // for ... in cores(...)
  bool cube = false;      // kFor: at the top, on the cube cores; set by check()
  std::vector<Statement> body, otherwise;
  Type type;                     // kBuffer, kAssign, kMatrix, kProduct: of the variable
  ExprPtr extent;                // kBuffer
  std::vector<ExprPtr> extents;  // kScratch, kProduct
  bool first = false;            // kAssign: introduces the variable
};

struct Parameter {
  std::string name;
  proto::DType dtype = proto::FLOAT32;
  std::vector<ExprPtr> extents;  // empty for a list `[..]`
  int line = 0;
  bool output = false;              // also for an input that is written in place
  bool in_place = false;            // both input and output
  std::string lies_over;            // for an output: the input whose memory it shares, if the task does so
  bool optional = false;            // `?`: the task may omit it
  bool list = false;                // `*`: several tensors; resolved() makes one parameter of each
  std::string of_list;              // for such a parameter: its list
  int place = 0;                    // and its position there
  bool scratch = false;             // is in the workspace; no argument of the kernel
  std::vector<std::int64_t> shape;  // set by bind()
  int tensor = -1;                  // index among the task's tensors; set by resolved()
  bool is_input() const { return (!output || in_place) && !scratch; }
};

struct Program {
  std::string name;
  std::vector<Parameter> parameters;  // inputs, then outputs that are not inputs
  std::vector<std::string> outputs;   // all outputs by name, in program order
  std::vector<Statement> body;
  // Set by resolved().
  bool resolved = false;
  std::vector<std::string> signature;  // parameters of the launched function: names, empty if unused
  std::set<std::string> absent;        // optional parameters that the task omits
};

// A one-line text for messages: "load x[r, :]".
std::string text_of(const Expr& expr);
std::string text_of(const std::vector<Index>& indices);

}  // namespace kg::dsl
