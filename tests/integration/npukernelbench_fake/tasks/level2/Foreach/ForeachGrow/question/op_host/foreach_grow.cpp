namespace ops {
class ForeachGrow : public OpDef {
 public:
  explicit ForeachGrow(const char* name) : OpDef(name) {
    this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Input("by").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Scalar();
  }
};
}  // namespace ops
// SetBlockDim(GetCoreNumAiv()): as tasks have it
