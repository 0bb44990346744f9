# Exported options of tar do not reach a command that runs for real.
# Source: third review, finding 2
# Escape: a file appears outside
export TAR_OPTIONS="--checkpoint=1 --checkpoint-action=exec=touch\ $OUTSIDE/tar" MAKEFLAGS="--eval=\$(shell touch $OUTSIDE/make)"
### real
tar czf /dev/null src; printf 'all:\n' | make -f - >/dev/null
