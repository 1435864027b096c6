#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "policy/files/model_io.h"
#include "policy/text/byte_alphabet.h"
#include "policy/text/byte_bpe.h"
#include "tests/support/tiny_model.h"

namespace kg::policy {

// A tiny random model whose answers do not end by themselves under greedy or top-k sampling (the rows of the end tokens
// in the head are 0, and so are their logits), with a tokenizer of bytes, in a context long enough for requests that
// last.
inline LoadedModel endless_model() {
  LoadedModel model;
  model.config = tiny_config(/*tied=*/false);
  model.config.context = 1 << 16;
  model.weights = random_weights(model.config, 1);
  for (NamedTensor& w : model.weights)
    if (w.name == "lm_head.weight") w.tensor.narrow(0, 256, 2).zero_();
  TokenizerSpec spec;
  for (int byte = 0; byte < 256; ++byte) spec.tokens.push_back(byte_character(static_cast<unsigned char>(byte)));
  spec.tokens.push_back("<|im_start|>");
  spec.tokens.push_back("<|im_end|>");
  spec.added = {{256, true}, {257, true}};
  spec.bos = 256;
  spec.eos = 257;
  model.tokenizer = std::make_shared<ByteBpe>(std::move(spec));
  model.chat_template = ChatTemplate::from_jinja(
      "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
      "'\n'}}"
      "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}");
  return model;
}

}  // namespace kg::policy
