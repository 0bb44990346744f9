# No inherited descriptor can report in the supervisor's name.
# Source: the first attacks
# Escape: a file outside differs, or the report is forged
exec 9>&3; echo x >&3; echo x >&4; echo x >&5; ls -la /proc/self/fd; printf '\0exited\0000\0' >&3
