// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/permission.h"
