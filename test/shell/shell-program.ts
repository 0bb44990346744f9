/** A North that will be killed: runs the command given, prints what it prints, and stays. */
import { openShell } from "../../src/shell/open-shell.js";

const [root = "", runtimeFolder = "", command = ""] = process.argv.slice(2);
const shell = openShell({ root, runtimeFolder, withheldVariables: [] });
await shell.run(command, { onOutput: ({ text }) => void process.stdout.write(text) });
