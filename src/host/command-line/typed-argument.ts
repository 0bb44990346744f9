import { Args } from "@oclif/core";

/**
 * An argument that never comes from a pipe. For a missing one oclif would read stdin: the key meant
 * for `north login`, or the start of a prompt.
 */
export const typedArgument = Args.custom<string>({ ignoreStdin: true });
