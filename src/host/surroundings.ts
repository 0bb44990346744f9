import type { Config } from "@oclif/core";
import type { NorthDirectories } from "../storage/files/directories.js";

export interface Surroundings {
    readonly config: Config;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
}
