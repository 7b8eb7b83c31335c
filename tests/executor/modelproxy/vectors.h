// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/json.h"

#include <QList>
#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace deskhand::test {

using modelproxy::Json;

/// One file of tests/fixtures/model-proxy.
struct Vector
{
    QString file;
    std::string direction;
    Json input;
    Json expected;

    /// The bytes of a stream vector, chunk by chunk.
    [[nodiscard]] std::vector<std::string> chunks() const;
    /// What reads the stream; null for a request vector.
    [[nodiscard]] std::unique_ptr<modelproxy::AnswerTranslator> translator() const;
};

[[nodiscard]] std::vector<Vector> loadVectors();

/// Events of a stream as the comparison rules want them: neighbouring deltas of an item joined.
[[nodiscard]] Json joinedEvents(const std::string &stream);

/// Empty when `actual` fits; otherwise the path and the reason. With `exact`, keys that are not
/// expected are a difference.
[[nodiscard]] std::string difference(const Json &expected, const Json &actual, bool exact);

} // namespace deskhand::test
