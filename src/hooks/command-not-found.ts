import type { Hook } from "@oclif/core";
import { displayName, unknownCommand } from "../host/command-line/usage-error.js";

const commandNotFound: Hook.CommandNotFound = async ({ id, config }) => {
    const [typed = ""] = process.argv.slice(2);
    throw unknownCommand(typed === id ? id : displayName(id), config);
};

export default commandNotFound;
