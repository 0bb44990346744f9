import { Flags } from "@oclif/core";

/** Which repository is meant; the current one unless told otherwise. */
export const pathFlag = Flags.custom<string>({
    description: "Use the repository of this folder instead of the current one.",
    helpValue: "DIR",
    // Else the manifest would hold the folder it was built in.
    noCacheDefault: true,
    default: async () => process.cwd(),
});
