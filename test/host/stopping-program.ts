/** Begins and ends runs that signals may stop, while nothing else listens. */
import { setImmediate } from "node:timers/promises";
import { stopOnSignals } from "../../src/host/command-line/stop-on-signals.js";

async function main(): Promise<void> {
    let stopper = stopOnSignals();
    process.stdout.write("begun\n");
    for (let run = 0; run < 500; run++) {
        await setImmediate();
        await stopper.dispose();
        stopper = stopOnSignals();
    }
    await stopper.dispose();
    process.stdout.write("ended\n");
}

void main();
