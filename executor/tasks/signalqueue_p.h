// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace deskhand::tasks {

/// Emits signals one after the other. A listener may call back (cancel, submit): what that causes
/// is told after everybody has heard of what is being told now, so all listeners see the same
/// order. Executor thread.
class SignalQueue
{
public:
    void emitInTurn(std::function<void()> signal)
    {
        m_waiting.push_back(std::move(signal));
        if (std::exchange(m_emitting, true)) {
            return;
        }
        while (!m_waiting.empty()) {
            const auto next = std::move(m_waiting.front());
            m_waiting.pop_front();
            next();
        }
        m_emitting = false;
    }

private:
    std::deque<std::function<void()>> m_waiting;
    bool m_emitting = false;
};

} // namespace deskhand::tasks
