namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  context->SetBlockDim(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv());
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling
namespace ops {
class Twice : public OpDef {
 public:
  explicit Twice(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Attr("scale").AttrType(OPTIONAL).Float(2.0);
  }
};
}  // namespace ops
