// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/requestfacts.h"

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/wireids.h"

#include <vector>

namespace deskhand::modelproxy {
namespace {

class Scanner final : public nlohmann::json_sax<Json>
{
public:
    RequestFacts facts;
    QString problem;

    bool null() override { return scalar(); }
    bool boolean(bool value) override
    {
        if (m_depth == 1 && m_key == "stream" && !value) {
            facts.wholeAnswer = true;
        }
        return scalar();
    }
    bool number_integer(number_integer_t) override { return limit() && scalar(); }
    bool number_unsigned(number_unsigned_t) override { return limit() && scalar(); }
    bool number_float(number_float_t, const string_t &) override { return limit() && scalar(); }
    bool binary(binary_t &) override { return false; }

    bool string(string_t &value) override
    {
        if (m_depth == 0) {
            return notAnObject();
        }
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
        return true;
    }

    bool start_object(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return m_depth == 0 ? notAnObject() : open(); }
    bool end_array() override { return close(); }

    bool key(string_t &value) override
    {
        m_key = value;
        if (m_depth == 1) {
            m_section = value == "input"     ? Section::Input
                : value == "tools"           ? Section::Tools
                : value == "client_metadata" ? Section::Metadata
                                             : Section::Other;
        } else if (m_depth == 3 && m_section == Section::Input && value == "namespace") {
            facts.namespaceTools = true;
        }
        return true;
    }

    bool parse_error(std::size_t position, const std::string &, const Json::exception &) override
    {
        problem = QStringLiteral("the request is malformed JSON at byte %1").arg(position);
        return false;
    }

private:
    enum class Section { Other, Input, Tools, Metadata };

    void onMetadata(const std::string &value)
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
    void onInputText(const std::string &value)
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
        } else if (m_key == "type" && value == "input_image") {
            facts.images = true;
            facts.toolOutputImages = facts.toolOutputImages || m_inToolOutput;
        } else if (m_key == "text" || m_key == "output") {
            noteOutput(value);
        }
        facts.modelSwitchText = facts.modelSwitchText
            || (m_key == "text" && value.find("<model_switch>") != std::string::npos);
    }

    void noteOutput(const std::string &value)
    {
        facts.patchFailureHint
            = facts.patchFailureHint || value.find("apply_patch") != std::string::npos;
    }

    bool limit()
    {
        if (m_depth == 1
            && (m_key == "max_output_tokens" || m_key == "max_completion_tokens"
                || m_key == "max_tokens")) {
            facts.hasOutputLimit = true;
        }
        return true;
    }

    bool scalar() { return m_depth > 0 || notAnObject(); }

    bool notAnObject()
    {
        problem = QStringLiteral("the request is not a JSON object");
        return false;
    }

    bool open()
    {
        if (++m_depth > kMaxJsonDepth) {
            problem = QStringLiteral("the request is nested more than %1 levels deep")
                          .arg(kMaxJsonDepth);
            return false;
        }
        if (m_depth == 3) {
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
    if (!Json::sax_parse(body.begin(), body.end(), &scanner)) {
        return failure(ErrorKind::Protocol,
            scanner.problem.isEmpty() ? QStringLiteral("the request is malformed JSON")
                                      : scanner.problem);
    }
    return std::move(scanner.facts);
}

} // namespace deskhand::modelproxy
