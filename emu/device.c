/*
 * Registers of devices beyond the guest's memory.
 *
 * An access to one stops the run before its instruction. The machine's caller
 * puts the value to be read into the device's page, and lets the engine execute
 * the instruction (order.permit). Then it takes the stored value out of the
 * page. So no instruction has to be taken apart. The page is no memory of the
 * guest's: its contents between accesses mean nothing, and aren't journaled.
 * Registers that always read the same may be plain: they are read without a
 * stop.
 */
#include <stdlib.h>

#include "machine.h"

/* Puts a page of registers there. */
const char *device_open(struct machine *m, uint64_t addr)
{
	const size_t size = 1 << PAGE_SHIFT;
	struct device *d = &m->devices[m->ndevices];
	if (m->ndevices == MAX_DEVICES)
		return "too many devices";
	d->page = aligned_alloc(size, size);
	if (!d->page)
		return "out of memory";
	for (size_t i = 0; i < size; i++)
		d->page[i] = 0;
	d->addr = addr;
	m->ndevices++;
	uc_err err = uc_mem_map_ptr(m->uc, addr, size, UC_PROT_READ | UC_PROT_WRITE, d->page);
	return err ? uc_strerror(err) : NULL;
}

static const struct device *device_at(const struct machine *m, uint64_t addr, uint32_t size)
{
	for (uint32_t i = 0; i < m->ndevices; i++) {
		uint64_t at = addr - m->devices[i].addr;
		if (at < 1 << PAGE_SHIFT && at + size <= 1 << PAGE_SHIFT)
			return &m->devices[i];
	}
	return NULL;
}

static bool is_plain(const struct device *d, uint64_t addr, uint32_t size)
{
	uint64_t i = (addr - d->addr) / REGISTER_SIZE;
	return (addr + size - 1 - d->addr) / REGISTER_SIZE == i && d->plain[i / 64] >> i % 64 & 1;
}

/* The memory hook, where the guest has no memory. */
void access_beyond(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	const struct device *d = device_at(m, addr, size);
	if (!d) {
		stop_fault(m, write ? FAULT_WRITE : FAULT_READ, addr, size);
		return;
	}
	if (m->why || (!write && is_plain(d, addr, size)))
		return;
	bool permitted = m->order.permit && m->insn == 1;
	if (permitted && !write)
		return;
	m->result.device_addr = addr;
	m->result.device_size = size;
	m->result.device_write = write;
	if (permitted)
		return;
	stop_in_access(m);
	stop_run(m, STOP_DEVICE);
}
