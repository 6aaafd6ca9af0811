/* The functions and data that each file of the engine gives to the others.
 * Included by machine.h, whose types it needs. */
#ifndef LANDGO_PARTS_H
#define LANDGO_PARTS_H

/* Cures that a test can switch off, to see that it would fail without. */
enum {
	KNOB_NO_LATE = 1 << 0,       /* don't cure late stops */
	KNOB_NO_STORE_UNDO = 1 << 1, /* leave the poised store in memory */
	KNOB_NO_ECHO = 1 << 2,       /* take each report of a page-crossing load */
	KNOB_NO_CAS = 1 << 3,        /* a failing compare-and-exchange is a write */
	KNOB_NO_LOCK = 1 << 4,       /* don't look at lock prefixes */
	KNOB_NO_MERGE = 1 << 5,      /* each callback is an event */
	KNOB_NO_HOLD = 1 << 6,       /* a split instruction reads again */
	KNOB_NO_GIVE_BACK = 1 << 7,  /* the others' bytes stay lost after a split */
	KNOB_HOST_CPU = 1 << 8,      /* leave cpuid and rdtsc to the engine */
	KNOB_NO_TRAPS = 1 << 9,      /* run hlt, syscall and the like */
	KNOB_COUNT = 1 << 10,        /* let the engine count instructions as well */
	KNOB_NO_PROBE = 1 << 11,     /* tell of a poised event what was seen of it */
	KNOB_NO_GUARD = 1 << 12,     /* let the engine load and store what the processor refuses */
};

/* frame.c */
bool has_frame(const struct machine *m, uint64_t pc);
void fill_frame(struct machine *m, uint64_t pc);

/* program.c */
uint64_t program_at(const struct machine *m, uint64_t pc);
bool program_parted(const struct machine *m, uint64_t page);
const char *programs_open(struct machine *m);
void program_stored(struct machine *m, uint64_t addr, uint32_t size);
void program_stale(struct machine *m, uint64_t page);
void programs_forget(struct machine *m);
struct insn program_insn(const struct machine *m, uint64_t pc);
bool program_marked(const struct machine *m, uint64_t pc);

/* Where the instruction at a program counter is in memory. A kernel that has itself
 * mapped higher runs at its own addresses until it has. */
static inline uint64_t code_at(const struct machine *m, uint64_t pc)
{
	if (likely(pc >= m->code_bias))
		return pc - m->code_bias;
	return unlikely(m->programs != NULL) ? program_at(m, pc) : pc;
}

/* Whether there is code of a user program, as far as one can tell by the address. */
static inline bool is_program(const struct machine *m, uint64_t pc)
{
	return m->programs && pc < m->code_bias && m->user;
}

/* machine.c: without an engine only scripts run (script.go). */
struct machine *machine_open(bool engine, bool is32, uint64_t space, uint64_t code_lo, uint64_t code_len, const char **err);
const char *machine_map(struct machine *m, uint64_t lo, uint64_t hi, bool code);
const char *machine_hook(struct machine *m);
void machine_close(struct machine *m);
void machine_populate(struct machine *m, uint64_t addr, uint64_t n);
void machine_populate_sharing(struct machine *m, uint64_t granule, uint64_t n);
void machine_populate_code(struct machine *m, uint64_t off, uint64_t n);
const char *machine_code_changed(struct machine *m, uint64_t lo, uint64_t hi);

/* context.c */
const char *context_init(struct machine *m);
const char *slots_grow(struct machine *m);
void slots_free(struct machine *m);
void slots_swap(struct machine *m, int32_t a, int32_t b);
void context_start(struct machine *m, int32_t slot, const uint64_t *regs);
void context_inherit(struct machine *m, int32_t slot, int32_t parent);
void context_load(struct machine *m, int32_t slot);
void context_save(struct machine *m, int32_t slot);
void context_regs(struct machine *m, int32_t slot, uint64_t *regs);
uint32_t context_diff(struct machine *m, int32_t a, int32_t b);
void context_words(struct machine *m, int32_t slot, uint64_t *words);
void cpu_write(struct machine *m, uint32_t set, const uint64_t *regs);
uint64_t cpu_encoded(const struct machine *m, int number);
void cpu_write_encoded(struct machine *m, int number, uint64_t v);
uint64_t cpu_read(const struct machine *m, int i);
void context_plain(struct machine *m);
void context_exception(struct machine *m, int32_t slot);

/* part.c */
size_t context_size(const struct machine *m);
uc_err part_alloc(struct machine *m, uc_context **c);
size_t context_header(const struct machine *m);
uc_err part_find(struct machine *m);
void part_begin(const struct machine *m, uc_context *to);
void part_clean(struct machine *m);
uc_context *part_whole(struct machine *m, int32_t slot);

/* abort.c */
uc_err engine_run(struct machine *m, size_t count);

/* run.c */
void machine_run(struct machine *m);
struct begun script_begin(struct machine *m);
void script_end(struct machine *m, struct begun b);
void begin_pass(struct machine *m);
void emulate(struct machine *m);
void set_alarm(struct machine *m);
void stop_run(struct machine *m, enum why why);
void stop_in_access(struct machine *m);
void stop_unmodelled(struct machine *m, const char *what);
void stop_exception(struct machine *m, uint32_t vector, enum fault kind, uint64_t addr);
void stop_fault(struct machine *m, enum fault kind, uint64_t addr, uint32_t size);

/* The hooks: insn.c, access.c, fault.c. */
void on_insn(uc_engine *uc, uint64_t addr, uint32_t size, void *user);
void on_access(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value, void *user);
bool on_invalid(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value, void *user);
void on_interrupt(uc_engine *uc, uint32_t number, void *user);
bool on_bad_insn(uc_engine *uc, void *user);

/* operand.c */
bool operand_refused(struct machine *m, uint64_t addr, uint32_t size);

/* halves.c */
struct insn;
void halves_note(struct machine *m, struct insn x);
void halves_restore(struct machine *m);
void carry_note(struct machine *m);
void carry_restore(struct machine *m);

/* party.c */
uint32_t party_at(struct machine *m, uint64_t sp);
uint32_t party_running(struct machine *m);

/* heap.c */
bool heap_allows(const struct machine *m, uint64_t addr, uint32_t size, bool write);
bool reads_ahead(const struct machine *m, uint64_t pc);

/* stack.c */
bool overflows(const struct machine *m, uint64_t addr);
bool in_grave(const struct machine *m, uint64_t addr, uint32_t size);

/* record.c */
void event_access(struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent);
void event_fault(struct machine *m, uint64_t addr, uint32_t size, bool write);
void record_private(struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent);
void records_finish(struct machine *m);
void note_fence(struct machine *m);
void hash_path(struct machine *m, uint64_t word);

/* run.c */
bool machine_ran(const struct machine *m, uint64_t lo, uint64_t hi);
void machine_not_ran(struct machine *m, uint64_t lo, uint64_t hi);
void machine_did(struct machine *m, uint64_t addr, uint32_t size);
uint8_t learn_class(struct machine *m, uint64_t addr, uint32_t size);

/* recall.c */
void note_value(struct machine *m, uint64_t addr, uint32_t size, uint8_t kind);
void note_access(struct machine *m, uint64_t addr, uint32_t size, bool write);
void note_held(struct machine *m, const struct slot *s);

/* narrate.c */
void narrate(struct machine *m, uint64_t addr, uint32_t size, uint8_t what);
void narrate_end(struct machine *m, uint64_t first);

/* half.c */
void half_hold(struct machine *m, uint64_t addr, uint32_t size);
bool half_covers(struct machine *m, uint64_t addr, uint32_t size, bool write);
void half_resume(struct machine *m, const struct slot *s);
void half_finish(struct machine *m);
void half_put(struct machine *m, uint64_t addr, const uint8_t *bytes, uint32_t size);

/* stored.c */
uint32_t stored_before(const struct machine *m, uint64_t addr, bool write);
void stored_note(struct machine *m, uint64_t addr, bool write);
void stored_show(struct machine *m);
void stored_again(struct machine *m);

/* probe.c */
bool probe_needed(const struct machine *m);
void probe(struct machine *m);

/* device.c */
const char *device_open(struct machine *m, uint64_t addr);
void access_beyond(struct machine *m, uint64_t addr, uint32_t size, bool write);

/* far.c */
const char *far_open(struct machine *m);
void far_close(struct machine *m);
uint64_t far_address(const struct machine *m, uint64_t addr);

/* board.c */
void board_keep(struct machine *m, int32_t slot);
bool board_enter(struct machine *m, int32_t from, int32_t to);
void board_paging(struct machine *m, uint64_t tables);
void board_start(struct machine *m, uint64_t gdt, uint32_t gdt_limit);
void board_regs(struct machine *m, int32_t slot, struct board_regs *r);
void board_loaded(struct machine *m, const struct slot *s);
void board_flush(struct machine *m);

/* freeze.c */
uint64_t context_frozen(const struct machine *m);
void context_freeze(const struct machine *m, int32_t slot, void *to);
void context_thaw(struct machine *m, int32_t slot, const void *from, uint64_t pc, uint64_t clock);

/* remainder.c */
bool x87_remainder(struct machine *m, bool nearest);

/* logarithm.c */
bool x87_log2(struct machine *m);
bool x87_log2p1(struct machine *m);
bool x87_arctangent(struct machine *m);
bool x87_exp2m1(struct machine *m);

/* virtual.c */
void virtual_x87(struct machine *m, uint32_t len, uint8_t function);
void virtual_cpuid(struct machine *m, uint32_t len);
void virtual_time(struct machine *m, uint32_t len, bool with_cpu);

#endif
