// Carries a precompiled header: see headwater_pch.cmake.
int main() {}
