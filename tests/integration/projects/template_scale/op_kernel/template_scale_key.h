#pragma once
#include "ascendc/host_api/tiling/template_argument.h"

#define SCALE_ONCE 1
#define SCALE_TWICE 2

ASCENDC_TPL_ARGS_DECL(TemplateScale, ASCENDC_TPL_DATATYPE_DECL(D_T_X, C_DT_FLOAT, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_UINT_DECL(TIMES, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 1, 8, 10, SCALE_ONCE,
                                            SCALE_TWICE),
                      ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1), );

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT),
                                     ASCENDC_TPL_UINT_SEL(TIMES, ASCENDC_TPL_UI_LIST, SCALE_ONCE, SCALE_TWICE),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1), ),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT16),
                                     ASCENDC_TPL_UINT_SEL(TIMES, ASCENDC_TPL_UI_RANGE, 1, 8, 10),
                                     ASCENDC_TPL_BOOL_SEL(NEGATE, 0), ), );
