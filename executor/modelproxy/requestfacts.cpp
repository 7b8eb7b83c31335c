// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/requestfacts.h"

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/wireids.h"

#include <vector>

namespace deskhand::modelproxy {
namespace {

class Scanner final : public JsonVisitor
{
public:
    RequestFacts facts;

    bool onNull() override { return m_depth > 0; }
    bool onBool(bool value) override
    {
        if (m_depth == 1 && m_key == "stream" && !value) {
            facts.wholeAnswer = true;
        }
        return m_depth > 0;
    }
    bool onInteger(std::int64_t) override { return number(); }
    bool onOtherNumber(std::string_view) override { return number(); }

    bool onString(std::string_view value) override
    {
        if (m_depth == 1) {
            if (m_key == "model") {
                facts.model = value;
            } else if (m_key == "previous_response_id") {
                facts.previousResponseId = value;
            }
        } else if (m_section == Section::Metadata && m_depth == 2) {
            onMetadata(value);
        } else if (m_section == Section::Input) {
            onInputText(value);
        } else if (m_section == Section::Tools && m_key == "type") {
            facts.namespaceTools = facts.namespaceTools || (m_depth == 3 && value == "namespace");
            facts.toolSearch = facts.toolSearch || (m_depth == 3 && value == "tool_search");
            facts.customTools = facts.customTools || (m_depth == 3 && value == "custom");
        }
        if (m_section == Section::Input && m_key == "encrypted_content" && !value.empty()) {
            facts.encryptedState = true;
        }
        return m_depth > 0;
    }

    bool onObject() override { return open(); }
    bool onObjectEnd() override { return close(); }
    bool onArray() override { return m_depth > 0 && open(); }
    bool onArrayEnd() override { return close(); }

    bool onKey(std::string_view key) override
    {
        m_key = key;
        if (m_depth == 1) {
            m_section = key == "input"     ? Section::Input
                : key == "tools"           ? Section::Tools
                : key == "client_metadata" ? Section::Metadata
                                           : Section::Other;
        } else if (m_depth == 3 && m_section == Section::Input && key == "namespace") {
            facts.namespaceTools = true;
        }
        return true;
    }

private:
    enum class Section { Other, Input, Tools, Metadata };

    void onMetadata(std::string_view value)
    {
        if (m_key == "thread_id") {
            facts.threadId = value;
        } else if (m_key == "parent_thread_id") {
            facts.parentThreadId = value;
        } else if (m_key == "x-codex-turn-metadata" && facts.parentThreadId.empty()) {
            if (const Result<Json> inner = parseJson(value); inner) {
                facts.parentThreadId = textMember(*inner, "parent_thread_id");
            }
        }
    }

    // input: depth 2 is the list, depth 3 an item, deeper its content.
    void onInputText(std::string_view value)
    {
        if (m_depth == 3) {
            if (m_key == "type") {
                m_inToolOutput = value.ends_with("_call_output");
                facts.toolSearch = facts.toolSearch || value == "tool_search_call"
                    || value == "tool_search_output";
                facts.customTools = facts.customTools || value.starts_with("custom_tool_call");
            } else if (m_key == "id" || m_key == "call_id") {
                facts.unsafeIds = facts.unsafeIds || !isSafeId(value);
            } else if (m_key == "output") {
                noteOutput(value);
            }
        } else if (m_key == "type" && m_depth == 5 && value == "namespace") {
            facts.namespaceTools = true; // a tool found by a search
        } else if (m_key == "type" && value == "input_image") {
            facts.images = true;
            facts.toolOutputImages = facts.toolOutputImages || m_inToolOutput;
        } else if (m_key == "text" || m_key == "output") {
            noteOutput(value);
        }
        facts.modelSwitchText = facts.modelSwitchText
            || (m_key == "text" && value.find("<model_switch>") != std::string_view::npos);
    }

    void noteOutput(std::string_view value)
    {
        facts.patchFailureHint
            = facts.patchFailureHint || value.find("apply_patch") != std::string_view::npos;
    }

    bool number()
    {
        if (m_depth == 1
            && (m_key == "max_output_tokens" || m_key == "max_completion_tokens"
                || m_key == "max_tokens")) {
            facts.hasOutputLimit = true;
        }
        return m_depth > 0;
    }

    bool open()
    {
        if (++m_depth == 3) {
            m_inToolOutput = false;
        }
        return true;
    }

    bool close()
    {
        --m_depth;
        return true;
    }

    int m_depth = 0;
    Section m_section = Section::Other;
    std::string m_key;
    bool m_inToolOutput = false;
};

} // namespace

Result<RequestFacts> readRequestFacts(std::string_view body)
{
    Scanner scanner;
    const JsonReading reading = readJsonText(body, scanner, kMaxJsonDepth);
    if (reading.fault == JsonFault::Stopped) {
        return failure(ErrorKind::Protocol, QStringLiteral("the request is not a JSON object"));
    }
    if (reading.fault != JsonFault::None) {
        return tl::unexpected(jsonError(reading).within(QStringLiteral("the request")));
    }
    return std::move(scanner.facts);
}

} // namespace deskhand::modelproxy
