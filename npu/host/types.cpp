#include <algorithm>
#include <utility>
#include <vector>

#include "graph/utils/type_utils.h"

// Names of types and formats.

namespace ge {
namespace {

const std::vector<std::pair<DataType, const char*>> kTypes = {
    {DT_FLOAT, "DT_FLOAT"},        {DT_FLOAT16, "DT_FLOAT16"},     {DT_INT8, "DT_INT8"},
    {DT_INT32, "DT_INT32"},        {DT_UINT8, "DT_UINT8"},         {DT_INT16, "DT_INT16"},
    {DT_UINT16, "DT_UINT16"},      {DT_UINT32, "DT_UINT32"},       {DT_INT64, "DT_INT64"},
    {DT_UINT64, "DT_UINT64"},      {DT_DOUBLE, "DT_DOUBLE"},       {DT_BOOL, "DT_BOOL"},
    {DT_STRING, "DT_STRING"},      {DT_COMPLEX64, "DT_COMPLEX64"}, {DT_COMPLEX128, "DT_COMPLEX128"},
    {DT_QINT8, "DT_QINT8"},        {DT_QINT16, "DT_QINT16"},       {DT_QINT32, "DT_QINT32"},
    {DT_QUINT8, "DT_QUINT8"},      {DT_QUINT16, "DT_QUINT16"},     {DT_RESOURCE, "DT_RESOURCE"},
    {DT_BF16, "DT_BF16"},          {DT_UNDEFINED, "DT_UNDEFINED"}, {DT_INT4, "DT_INT4"},
    {DT_UINT1, "DT_UINT1"},        {DT_INT2, "DT_INT2"},           {DT_UINT2, "DT_UINT2"},
    {DT_COMPLEX32, "DT_COMPLEX32"}};

const std::vector<std::pair<Format, const char*>> kFormats = {{FORMAT_NCHW, "NCHW"},
                                                              {FORMAT_NHWC, "NHWC"},
                                                              {FORMAT_ND, "ND"},
                                                              {FORMAT_NC1HWC0, "NC1HWC0"},
                                                              {FORMAT_FRACTAL_Z, "FRACTAL_Z"},
                                                              {FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
                                                              {FORMAT_HWCN, "HWCN"},
                                                              {FORMAT_NDHWC, "NDHWC"},
                                                              {FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
                                                              {FORMAT_NCDHW, "NCDHW"},
                                                              {FORMAT_DHWCN, "DHWCN"},
                                                              {FORMAT_NDC1HWC0, "NDC1HWC0"},
                                                              {FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
                                                              {FORMAT_NCL, "NCL"},
                                                              {FORMAT_RESERVED, "RESERVED"}};

template <typename Rows, typename Key>
const char* name_of(const Rows& rows, Key key) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& entry) { return entry.first == key; });
  return row == rows.end() ? "UNDEFINED" : row->second;
}

template <typename Key, typename Rows>
Key key_of(const Rows& rows, const std::string& name, Key otherwise) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& entry) { return name == entry.second; });
  return row == rows.end() ? otherwise : row->first;
}

}  // namespace

std::string TypeUtils::DataTypeToSerialString(DataType type) { return name_of(kTypes, type); }
AscendString TypeUtils::DataTypeToAscendString(DataType type) { return name_of(kTypes, type); }
DataType TypeUtils::SerialStringToDataType(const std::string& name) { return key_of(kTypes, name, DT_UNDEFINED); }
std::string TypeUtils::FormatToSerialString(Format format) { return name_of(kFormats, format); }
AscendString TypeUtils::FormatToAscendString(Format format) { return name_of(kFormats, format); }
Format TypeUtils::SerialStringToFormat(const std::string& name) { return key_of(kFormats, name, FORMAT_RESERVED); }

}  // namespace ge
