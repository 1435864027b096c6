"""Makes policy_chat_template_fixture.json: templates in the manner of the model families' own, messages, and what Jinja2 makes of
them in the environment that Hugging Face transformers sets up. Run with a Python that has jinja2.

  python tests/unit/policy_chat_template_reference.py > tests/unit/policy_chat_template_fixture.json
"""

import json

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

CHATML = """{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
You are a helpful assistant.<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}"""

LLAMA3 = """{% set loop_messages = messages %}{% for message in loop_messages %}
{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}
{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}
{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"""

LLAMA31 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{#- the system message comes out of the list -#}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is not none %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("one call at a time") }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '{"name": "' + call.name + '", "parameters": ' }}{{- call.arguments | tojson }}{{- "}<|eot_id|>" }}
    {%- else %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

QWEN25 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are Q.' }}
    {%- endif %}
    {{- "\\n\\n# Tools\\n\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are Q.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' }}
            {{- tool_call.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- message.content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

QWEN3 = """{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index %}
            {%- if loop.last or (not loop.last and reasoning_content) %}
                {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
            {%- else %}
                {{- '<|im_start|>' + message.role + '\\n' + content }}
            {%- endif %}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

# What the families above leave out: white space, loops and macros in all their forms, filters and tests.
LANGUAGE = """{%- macro tag(name, value='none', sep=':') -%}
  [{{ name }}{{ sep }}{{ value }}]
{%- endmacro %}
  {% if messages %}
    list of {{ messages | length }}:
  {% endif %}
{% for m in messages if m.role != 'system' %}
  {{ loop.index }}/{{ loop.length }} {{ loop.revindex }} {{ tag(m.role, value=m.content | upper) }}{{ tag('x', sep='=') }}
  {%+ if loop.first %} first {% elif loop.last %} last {% else %} between {% endif +%}
{% else %}
nothing
{% endfor %}
{% for k, v in {'a': 1, 'b': [1, 2.5, none, true, 'q']}.items() %}{{ k }}={{ v }};{% endfor %}
{% for i in range(2, 9, 3) %}{% if i == 5 %}{% continue %}{% endif %}{{ i }}{% if i > 7 %}{% break %}{% endif %}{% endfor %}
{{ [3, 1] + [2] }} {{ 7 // 2 }} {{ 7 % 4 }} {{ -7 // 2 }} {{ 2 * 3 - 1 }} {{ 7 / 2 }} {{ 'a' ~ 1 ~ none }} {{ 'ab' * 2 }}
{{ 'yes' if 1 < 2 and not 3 >= 4 or false else 'no' }} {{ ('x' if false) | default('unset') }} {{ missing | default('m') }}
{{ ' a b  c '.split() | join('-') }} {{ 'a,b,c'.split(',', 1) }} {{ 'text'[1:3] }} {{ 'text'[-1] }} {{ [1,2,3][::-1] }} {{ [1, 2, 3][:2] | last }}
{{ 'b' in ['a', 'b'] }} {{ 'c' not in 'abd' }} {{ 'k' in {'k': 1} }} {{ missing is defined }} {{ none is none }} {{ 3 is odd }} {{ [1] is iterable }}
{{ messages | map(attribute='role') | list | join(' ') }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'equalto', 'user') | map(attribute='content') | join('+') }}
{{ {'b': 1, 'a': "q\\"uo'te\\u00e9é"} | tojson }} {{ [] | tojson }} {{ {'a': [1, {}]} | tojson(indent=2) }} {{ 'x' | replace('x', 'y') }} {{ 'wORd' | capitalize }} {{ '5' | int + 1 }} {{ true }} {{ [none, "it's"] }}
{% set block %}captured {{ 1 + 1 }}{% endset %}{{ block | trim }}{% set a, b = [1, 2] %}{{ a }}{{ b }}
{{- '   trimmed' }}   
   {{- 'joined' -}}
   end
"""

USER = [{"role": "user", "content": "  Write a kernel: y = x² + \"q\" \n"}]
SYSTEM = [{"role": "system", "content": " Be brief. "}] + USER
LONG = SYSTEM + [{"role": "assistant", "content": "<think>\nlet me\n</think>\n\nHere"}, {"role": "user", "content": "And add?"},
                 {"role": "assistant", "content": "<think>\nhm\n</think>\n\nSo"}]
TOOLS = [{"type": "function", "function": {"name": "run", "description": "führt aus", "parameters": {"type": "object", "required": []}}}]
CALLS = USER + [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "run", "arguments": {"a": [1, 2.5], "b": None}}}]},
                {"role": "tool", "content": "done"}, {"role": "tool", "content": "again"}]


def main():
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    environment.filters["tojson"] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    environment.globals["raise_exception"] = raise_exception
    cases = []
    for name, template in (("chatml", CHATML), ("llama3", LLAMA3), ("llama3.1", LLAMA31), ("qwen2.5", QWEN25), ("qwen3", QWEN3),
                           ("language", LANGUAGE)):
        for messages in (USER, SYSTEM, LONG, CALLS, []):
            for extra in ({}, {"tools": TOOLS, "enable_thinking": False}):
                variables = {"messages": messages, "add_generation_prompt": bool(extra) or messages is USER, "bos_token": "<s>",
                             "eos_token": "</s>"} | extra
                case = {"name": name, "template": template, "variables": json.dumps(variables)}
                try:
                    case["text"] = environment.from_string(template).render(**variables)
                except jinja2.exceptions.TemplateError:
                    case["error"] = True
                except TypeError:
                    continue
                cases.append(case)
    print(json.dumps(cases, indent=1))


main()
