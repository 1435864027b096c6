#pragma once

#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class TypeUtils {
 public:
  static std::string DataTypeToSerialString(DataType type);  // "DT_FLOAT16"
  static AscendString DataTypeToAscendString(DataType type);
  static DataType SerialStringToDataType(const std::string& name);
  static std::string FormatToSerialString(Format format);  // "ND"
  static AscendString FormatToAscendString(Format format);
  static Format SerialStringToFormat(const std::string& name);
  static bool GetDataTypeLength(DataType type, uint32_t& length) {
    const int size = GetSizeByDataType(type);
    if (size <= 0 || size > kDataTypeSizeBitOffset) return false;
    length = static_cast<uint32_t>(size);
    return true;
  }
};

}  // namespace ge
