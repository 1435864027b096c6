#pragma once

#include <exception>
#include <string_view>

#include "dsl/prospect.h"

namespace kg::dsl {

// Where the parser is while it reads the beginning of a program. If it stops at the cut, both stay as they are;
// without a prospect they do nothing.

// Increases a count of the beginning by this much while it lives.
class Within {
 public:
  Within(Prospect* prospect, int Prospect::* count, int more)
      : count_(prospect == nullptr ? nullptr : &(prospect->*count)), more_(more) {
    if (count_ != nullptr) *count_ += more_;
  }
  ~Within() {
    if (count_ != nullptr && std::uncaught_exceptions() == 0) *count_ -= more_;
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  int* count_;
  int more_;
};

// An open construct, by its mark in Prospect::path.
class Construct {
 public:
  Construct(Prospect* prospect, std::string_view mark) : prospect_(prospect) {
    if (prospect_ == nullptr) return;
    begin_ = prospect_->path.size();
    prospect_->path += mark;
  }
  ~Construct() {
    if (prospect_ != nullptr && std::uncaught_exceptions() == 0) prospect_->path.resize(begin_);
  }
  Construct(const Construct&) = delete;
  Construct& operator=(const Construct&) = delete;
  // Moves on to another part.
  void becomes(std::string_view mark) {
    if (prospect_ == nullptr) return;
    prospect_->path.resize(begin_);
    prospect_->path += mark;
  }

 private:
  Prospect* prospect_;
  std::size_t begin_ = 0;
};

}  // namespace kg::dsl
