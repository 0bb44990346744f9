const WINDOW_MS = 100;
const PIECE_CHARACTERS = 8000;

/**
 * Hands over at most 8,000 characters in a tenth of a second: a command may print hundreds of
 * megabytes, and nobody can watch that. What is skipped is missing from the live view only.
 */
export function throttled(
    progress: (text: string) => void,
    now: () => number = () => performance.now()
): (text: string) => void {
    let windowStart = -Infinity;
    let room = 0;
    return (text) => {
        if (now() - windowStart >= WINDOW_MS) {
            windowStart = now();
            room = PIECE_CHARACTERS;
        }
        if (room === 0) return;
        const piece = text.slice(-room);
        room -= piece.length;
        progress(piece);
    };
}
