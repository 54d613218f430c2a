#pragma once
// base_pch.h for test programs.
#include <gtest/gtest.h>

#include "base/base_pch.h"
