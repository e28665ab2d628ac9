/* Classic War for two, as war_env plays it: 52 cards, three face-down, a seat that cannot pay for a war loses, winnings
   shuffled. The same streams and the same shuffles, so that the games are the same to the last card; the winner of a
   battle is found without a branch. Compiled at run time by the machine's own compiler, as a measure for the engine. */
#include <stdint.h>
#include <string.h>

#define GAMMA 0x9E3779B97F4A7C15ull
#define TOP_BIT (1ull << 63)
#define RING 64
#define MASK (RING - 1)
#define CARDS 52
#define STAKES 3
#define LIMIT 100000

typedef struct { uint64_t shuffles, coins; } Stream;

static inline uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static inline uint64_t stream_start(uint64_t key, uint64_t index) { return mix(key + (index + 1) * GAMMA); }

static inline uint64_t next_word(uint64_t *state) { return mix(*state += GAMMA); }

/* Lemire's bounded integers, without bias. */
static inline uint64_t next_below(uint64_t *state, uint64_t bound) {
    uint64_t product = (next_word(state) >> 32) * bound;
    if ((uint32_t)product < bound) {
        uint32_t least = (uint32_t)(-(uint32_t)bound) % (uint32_t)bound;
        while ((uint32_t)product < least) product = (next_word(state) >> 32) * bound;
    }
    return product >> 32;
}

static void deal(uint64_t key, uint8_t rings[2][RING]) {
    uint8_t deck[CARDS];
    uint64_t state = stream_start(key, 0);
    for (int k = 0; k < CARDS; k++) deck[k] = (uint8_t)(k >> 2);
    for (int k = 0; k < CARDS; k++) {
        uint64_t other = k + next_below(&state, CARDS - k);
        uint8_t card = deck[other];
        deck[other] = deck[k];
        rings[k & 1][k >> 1] = card;
    }
}

/* sums: wins of seat 0, wins of seat 1, battles, comparisons, wars. */
static void play(uint64_t key, int64_t *sums) {
    uint8_t rings[2][RING];
    Stream streams[2];
    uint32_t head[2] = {0, 0}, count[2] = {CARDS / 2, CARDS / 2};
    int64_t battles = 0, comparisons = 0, wars = 0;
    deal(key, rings);
    for (int seat = 0; seat < 2; seat++) {
        streams[seat].shuffles = stream_start(key, 1 + 4 * seat);
        streams[seat].coins = 1;
    }
    while (count[0] && count[1] && battles < LIMIT) {
        uint32_t a = rings[0][head[0] & MASK], b = rings[1][head[1] & MASK], laid = 1;
        battles++;
        comparisons++;
        if (__builtin_expect(a == b, 0)) {
            uint32_t poorer = count[0] < count[1] ? count[0] : count[1];
            while (a == b) {
                wars++;
                laid += STAKES + 1;
                if (laid > poorer) {
                    if (count[0] != count[1]) sums[count[0] > count[1] ? 0 : 1]++;
                    goto done;
                }
                comparisons++;
                a = rings[0][(head[0] + laid - 1) & MASK];
                b = rings[1][(head[1] + laid - 1) & MASK];
            }
            uint32_t w = a < b, l = w ^ 1, tail = head[w] + count[w];
            for (uint32_t k = 0; k < laid; k++) rings[w][(tail + k) & MASK] = rings[w][(head[w] + k) & MASK];
            for (uint32_t k = 0; k < laid; k++) rings[w][(tail + laid + k) & MASK] = rings[l][(head[l] + k) & MASK];
            for (uint32_t left = 2 * laid; left > 1;) {
                uint32_t other = (tail + (uint32_t)next_below(&streams[w].shuffles, left)) & MASK;
                left--;
                uint32_t last = (tail + left) & MASK;
                uint8_t card = rings[w][last];
                rings[w][last] = rings[w][other];
                rings[w][other] = card;
            }
            head[0] += laid;
            head[1] += laid;
            count[w] += laid;
            count[l] -= laid;
        } else {
            uint32_t w = a < b, tail = head[w] + count[w];
            uint32_t swap = (a ^ b) & (0u - w), own = a ^ swap, other = b ^ swap;
            uint64_t coins = streams[w].coins;
            if (__builtin_expect(coins == 1, 0)) coins = (next_word(&streams[w].shuffles) >> 1) | TOP_BIT;
            uint32_t coin = coins & 1;
            streams[w].coins = coins >> 1;
            rings[w][(tail + coin) & MASK] = (uint8_t)own;
            rings[w][(tail + (coin ^ 1)) & MASK] = (uint8_t)other;
            head[0]++;
            head[1]++;
            count[0] += 1 - 2 * w;
            count[1] += 2 * w - 1;
        }
    }
    if (battles < LIMIT || !count[0] || !count[1]) sums[count[0] ? 0 : 1]++;
done:
    sums[2] += battles;
    sums[3] += comparisons;
    sums[4] += wars;
}

void play_games(uint64_t lane, uint64_t first, uint64_t games, int64_t *sums) {
    memset(sums, 0, 5 * sizeof *sums);
    for (uint64_t k = 0; k < games; k++) play(stream_start(lane, first + k), sums);
}
