// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Measured values; percentiles by rank. Empty: 0.
[[nodiscard]] double percentile(std::vector<double> values, double share);
[[nodiscard]] inline double median(const std::vector<double> &values)
{
    return percentile(values, 0.5);
}

/// The table of a benchmark: each figure beside its limit. One thread.
class Figures
{
public:
    /// A figure without a limit is only shown.
    void add(const std::string &name, double value, const std::string &unit,
        std::optional<double> limit = {}, const std::string &remark = {});
    /// Something that holds or not.
    void require(const std::string &name, bool holds, const std::string &remark = {});
    /// It could not be measured; counts as a missed limit.
    void broken(const std::string &name, const std::string &why);
    [[nodiscard]] bool allHold() const { return m_missed == 0; }

private:
    int m_missed = 0;
};
