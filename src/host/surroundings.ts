import type { Config } from "@oclif/core";
import type { NorthDirectories } from "../storage/files/directories.js";

/** What every run of a command has. */
export interface Surroundings {
    readonly config: Config;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
}
