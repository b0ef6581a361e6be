#pragma once

// Keys by GLFW's numbers in every version of ImGui: 1.86 reads them from an array that the application indexes,
// later ones have events and numbers of their own.

namespace copse::viewer {

/// True in the frame in which the key went down, and again as it repeats.
bool is_key_pressed(int glfw_key, bool repeat = false);
bool is_key_down(int glfw_key);

/// Feeds input by hand, where no backend of ImGui does.
void prepare_keys();
void feed_key(int glfw_key, bool down);
void feed_mouse_position(float x, float y);
void feed_mouse_button(int button, bool down);
void feed_scroll(float steps);

}  // namespace copse::viewer
