import type { Hook } from "@oclif/core";
import { unknownCommand } from "../host/usage-error.js";

const commandNotFound: Hook.CommandNotFound = async ({ id, config }) => {
    throw unknownCommand(id, config);
};

export default commandNotFound;
