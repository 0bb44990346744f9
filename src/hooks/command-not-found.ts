import type { Hook } from "@oclif/core";
import { unknownCommand } from "../host/command-line/usage-error.js";

const commandNotFound: Hook.CommandNotFound = async ({ id, config }) => {
    throw unknownCommand(id, config);
};

export default commandNotFound;
