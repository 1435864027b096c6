#pragma once

namespace kg::policy {

// The file that a folder holds whose model is a difference to another (difference.h, which needs LibTorch).
inline constexpr const char* kDifferenceFile = "difference.bin";

}  // namespace kg::policy
