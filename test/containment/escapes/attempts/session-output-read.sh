# The pipes of its output do not lead to earlier output.
# Source: third review, held
# Escape: a file outside differs
cat /proc/self/fd/1 & sleep 0.2; kill %1; echo x >/proc/self/fd/2; ls -la /proc/self/fd/1
