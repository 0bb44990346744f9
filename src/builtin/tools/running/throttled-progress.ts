const WINDOW_MS = 100;
const PIECE_CHARACTERS = 8000;

/**
 * Passes on at most 8,000 characters per 100 ms: a command may print hundreds of megabytes, and
 * nobody can watch that. Only the live view skips text.
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
