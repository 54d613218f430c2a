#pragma once
// asio_pch.h for test programs.
#include <gtest/gtest.h>

#include "rt/asio_pch.h"
