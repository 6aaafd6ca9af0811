package fields

// Operations of DWARF expressions (DWARF 5, §2.5, §7.7.1), of those that landgo reads.
const (
	OpAddr       = 0x03
	OpDeref      = 0x06
	OpConst1u    = 0x08
	OpConst1s    = 0x09
	OpConst2u    = 0x0a
	OpConst2s    = 0x0b
	OpConst4u    = 0x0c
	OpConst4s    = 0x0d
	OpConst8u    = 0x0e
	OpConst8s    = 0x0f
	OpConstu     = 0x10
	OpConsts     = 0x11
	OpDup        = 0x12
	OpDrop       = 0x13
	OpOver       = 0x14
	OpSwap       = 0x16
	OpAnd        = 0x1a
	OpMinus      = 0x1c
	OpMul        = 0x1e
	OpOr         = 0x21
	OpPlus       = 0x22
	OpPlusUconst = 0x23
	OpShl        = 0x24
	OpShr        = 0x25
	OpXor        = 0x27
	OpEq         = 0x29
	OpGe         = 0x2a
	OpGt         = 0x2b
	OpLe         = 0x2c
	OpLt         = 0x2d
	OpNe         = 0x2e
	OpLit0       = 0x30
	OpLit31      = 0x4f
	OpReg0       = 0x50
	OpReg31      = 0x6f
	OpBreg0      = 0x70
	OpBreg31     = 0x8f
	OpFbreg      = 0x91 // a distance from the frame base
	OpNop        = 0x96
	OpTLS        = 0x9b // form_tls_address: the number before it is a distance in a thread's block
	OpFrameCFA   = 0x9c // call_frame_cfa: as unwinding has it
	OpTLSGNU     = 0xe0 // OpTLS, before DWARF 3 had one
)
