import { Args } from "@oclif/core";

/**
 * An argument that is only ever typed. For a missing one oclif would take what comes through a pipe:
 * the key meant for `north login`, or the first piece of a prompt.
 */
export const typedArgument = Args.custom<string>({ ignoreStdin: true });
