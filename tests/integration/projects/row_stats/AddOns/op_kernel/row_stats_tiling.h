#pragma once
#include <cstdint>

struct RowStatsTiling {
  uint32_t rows;
  uint32_t columns;
};
