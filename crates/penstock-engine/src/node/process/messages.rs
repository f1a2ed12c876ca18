//! Receipt of the messages to a process.

use crate::endpoints::host_context::HostContext;
use crate::kernel::inputs::Inputs;
use crate::kernel::message::MessageBody;
use crate::node::host::Host;

/// Receives the next message. A pause takes effect after its port has processed all earlier packets. Returns the port that the message
/// pauses or resumes.
pub(in crate::node) fn receive_message(
    host: Option<&mut Host>,
    inputs: &mut Inputs,
    host_context: &mut HostContext<'_, '_>,
) -> Option<u32> {
    let message = inputs.mailbox().pop().expect("a message is due");
    match message.body {
        MessageBody::Call(signal) => {
            let host = host.expect("calls begin and end at hosts");
            host.on_call_signal(message.at, &signal, message.order.number, host_context);
            None
        }
        MessageBody::Telemetry(signal) => {
            host.expect("telemetry goes to hosts").on_telemetry(message.at, &signal, host_context);
            None
        }
        MessageBody::Pause(pause) => {
            host_context.drain_transmit_batch();
            let HostContext { ports, context, .. } = host_context;
            let class = pause.class.map_or(0, |class| u64::from(class) + 1);
            context.record.digest.number(message.at.as_ps() ^ u64::from(pause.port) << 32 ^ class << 16);
            context.record.digest.number(pause.time.as_ps());
            ports[pause.port as usize].on_pause(message.at, pause.class, pause.time, context);
            Some(pause.port)
        }
    }
}
