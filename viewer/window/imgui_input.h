#pragma once

// Keys by GLFW's numbers, for every version of ImGui. 1.86 reads them from an array that the application indexes.
// Later versions have events and their own numbers.

namespace copse::viewer {

/// Returns true in the frame in which the key went down, and again when it repeats.
bool is_key_pressed(int glfw_key, bool repeat = false);
bool is_key_down(int glfw_key);

// These pass input to ImGui, for displays without a backend of ImGui.
void prepare_keys();
void feed_key(int glfw_key, bool down);
void feed_mouse_position(float x, float y);
void feed_mouse_button(int button, bool down);
void feed_scroll(float steps);

}  // namespace copse::viewer
