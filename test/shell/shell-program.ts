/** A North that will be killed: runs the command given, prints what it prints, and stays. */
import { openShell } from "../../src/shell/open-shell.js";

const [root = "", runtimeFolder = "", command = ""] = process.argv.slice(2);
const environment = { ...process.env, XDG_RUNTIME_DIR: runtimeFolder };
const shell = openShell({ root, environment, withheldVariables: [] });
const job = await shell.start("echo $$; sleep 600");
let pid = "";
while (pid === "") pid = (await shell.jobs.output(job.id, { waitMs: 10 })).output;
process.stdout.write(pid);
await shell.run(command, { onOutput: ({ text }) => void process.stdout.write(text) });
