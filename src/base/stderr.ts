import { typeable } from "./north-command.js";
import { showControls } from "./safe-text.js";

/**
 * Prints lines on standard error for a person, who can type the commands in them, with everything
 * invisible escaped: they hold names, errors and replies from elsewhere. Nothing else writes there,
 * except progress and constant texts.
 */
export function printToStderr(
    text: string,
    stream: { write(text: string): unknown } = process.stderr
): void {
    stream.write(`${showControls(typeable(text))}\n`);
}
