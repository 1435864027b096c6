#pragma once

namespace kg::policy {

// The file in the folder of a model that is stored as a difference (difference.h, which needs LibTorch).
inline constexpr const char* kDifferenceFile = "difference.bin";

}  // namespace kg::policy
